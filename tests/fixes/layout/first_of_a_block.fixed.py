for x in y:
    if x:
        l(x)
    else:
        b(x)
    c(x)  # here
    a(x)  # moves
