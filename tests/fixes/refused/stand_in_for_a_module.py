# select: XLA002
# refused: `xm` may be what line 18 puts in its place
import torch


class Nothing:
    def mark_step(self):
        pass


def sample(model, image, rounds):
    try:
        import torch_xla
        import torch_xla.core.xla_model as xm

        image = image.to(torch_xla.device())
    except ModuleNotFoundError:
        xm = Nothing()
    for _ in range(rounds):
        with torch.no_grad():
            image = model(image)
        xm.mark_step()
    return image
