class A:
    @property
    def f(self):
        "one string"
    def g(self):
        with a as b, c:  # header

            # first of two
            # comments
            h()  # moves

            i()  # stays
            # at the end
        # before the place
        j()  # here
        k()
    @staged
    @staticmethod  # undecorate
    def m(): pass
    async def n(self):
        async with o:
            p()  # new above
        try:
            q()  # goes
        except E:
            r()  # goes
        finally:
            s()  # goes
