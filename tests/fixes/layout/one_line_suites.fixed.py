def f():
    return 1
for x in y:
    with torch_xla.step():
        f(x)  # first last
while x:
    with torch_xla.step():
        f(x)
        g(x)  # first2
b()  # unwrap
if x:
    pass
else: i()
if x: h()
