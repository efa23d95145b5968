class A:
    @property
    def f(self):
        "one string"
    def g(self):
        with a as b, c:  # header

            i()  # stays
            # at the end
        # before the place
        j()  # here

        # first of two
        # comments
        h()  # moves
        k()
    @staged
    def m(): pass
    async def n(self):
        async with o:
            torch_xla.sync()
            p()  # new above
        try:
            pass
        except E:
            pass
        finally:
            pass
