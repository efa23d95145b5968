def f():
    a()

    # the step
    # unwrap

    # inside
    c()
    # the end
    e()  # unwrap
    return j
