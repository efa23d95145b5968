def f():
    return 1
for x in y: f(x)  # first last
while x: f(x); g(x)  # first2
with a: b()  # unwrap
if x: h()  # goes
else: i()
if x: h()
else: i()  # goes
