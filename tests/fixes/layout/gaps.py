for x in y:
    a(x)

    f(x)  # goes
    b(x)

    # told of

    g(x)  # goes

    c(x)
    h(x)  # goes

    # told again
    i(x)  # goes
    if x:
        d(x)

        j(x)  # goes
    e(x)

    # told at the end
    k(x)  # goes
