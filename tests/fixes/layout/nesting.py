def f(items):
    for x in items:
        # above the first
        a(x)  # first
        text = """
  not indented
"""

        if x:
            b(
  x)  # comment
        elif x is None:
            pass  # of the elif
        else: c(x)

        d(x); e(x)  # last
        # left behind
    else:
        g()  # goes
