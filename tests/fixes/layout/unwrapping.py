def f():
    a()

    # the step
    with b:  # unwrap

        # inside
        c()
        # the end
    with d: e()  # unwrap
    with g:
        with h:
            i()  # goes
    return j
