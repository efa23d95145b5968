for x in y:
    with torch_xla.step():
        h(x)  # first
        a, \
        b, c = \
            f(x,
              """s
  t""") or \
            g  # last
