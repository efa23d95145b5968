# ruff: noqa
# mypy: ignore-errors
class Registry(dict):
    def register(self, name):
        def put(cls):
            self[name] = cls
            return cls

        return put

    def build(self, config):
        config = dict(config)
        return self[config.pop("type")](**config)


HOOKS = Registry()
