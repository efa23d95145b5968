for x in y:
    h(x)  # first
    a, \
    b, c = \
        f(x,
          """s
  t""") or \
        g  # last
