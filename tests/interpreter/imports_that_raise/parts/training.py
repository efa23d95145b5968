import parts.clipping as clipping


def ready(model):
    clipping.clip(model.parameters())
