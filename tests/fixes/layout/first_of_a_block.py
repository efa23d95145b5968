for x in y:
    if x:
        k(x)  # goes

        l(x)
    else:
        a(x)  # moves

        b(x)
    c(x)  # here
