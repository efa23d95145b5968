"""A function imports the same in several blocks: the new name comes beside the import that it needs."""


def train(model, optimizer, batches, use_xla):
    if use_xla:
        import torch_xla.core.xla_model as xm
        model = xm.send_cpu_data_to_device(model, "xla")
    for batch in batches:
        model(batch).backward()
        if use_xla:
            try:
                import torch_xla.core.xla_model as xm
                xm.reduce_gradients(optimizer)
                optimizer.step()
                print(xm.xla_device(), xm.xrt_world_size())
            except Exception:
                optimizer.step()


def device_of(use_xla):
    if use_xla:
        import torch_xla.core.xla_model as xm
    return xm.xla_device() if use_xla else "cpu"
