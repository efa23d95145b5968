for x in y:
    a(x)

    b(x)

    # told of

    c(x)

    # told again
    if x:
        d(x)
    e(x)

    # told at the end
