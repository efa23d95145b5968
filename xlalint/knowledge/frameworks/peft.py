"""peft on XLA devices: what it takes of models that have adapters; how they get them is in `packages`."""


def get_peft_model_state_dict(model, state_dict=None, adapter_name="default"):
    return model.state_dict() if state_dict is None else state_dict
