"""A function imports the same in several blocks: the new name comes beside the import that it needs."""


def train(model, optimizer, batches, use_xla):
    if use_xla:
        import torch_xla.core.xla_model as xm
        model = xm.send_cpu_data_to_device(model, "xla")
    for batch in batches:
        model(batch).backward()
        if use_xla:
            try:
                import torch_xla
                import torch_xla.core.xla_model as xm
                import torch_xla.runtime as xr
                xm.reduce_gradients(optimizer)
                optimizer.step()
                print(torch_xla.device(), xr.world_size())
            except Exception:
                optimizer.step()


def device_of(use_xla):
    if use_xla:
        import torch_xla
    return torch_xla.device() if use_xla else "cpu"
