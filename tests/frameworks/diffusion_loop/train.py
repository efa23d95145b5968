"""A diffusion model of diffusers is trained in a loop of the user's own."""

import torch
import torch.nn.functional as F
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from diffusers import AutoencoderKL, DDPMScheduler, UNet2DConditionModel
from diffusers.training_utils import EMAModel


def train(index, folder, loader):
    device = torch_xla.device()
    vae = AutoencoderKL.from_pretrained(folder, subfolder="vae").to(device)
    unet = UNet2DConditionModel.from_pretrained(folder, subfolder="unet")
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-5)
    unet.to(device)  # expect: XLA701
    vae.requires_grad_(False)
    averages = EMAModel(unet.parameters())
    noises = DDPMScheduler.from_pretrained(folder, subfolder="scheduler")
    for batch in pl.MpDeviceLoader(loader, device):
        latents = vae.encode(batch["pixels"]).latent_dist.sample() * 0.18215
        noise = torch.randn_like(latents)
        times = torch.randint(0, 1000, (latents.shape[0],), device=device)
        predicted = unet(noises.add_noise(latents, noise, times), times, batch["text"]).sample
        loss = F.mse_loss(predicted.float(), noise.float())
        loss.backward()
        xm.optimizer_step(optimizer)
        optimizer.zero_grad()
        averages.step(unet.parameters())
        print(loss.item())  # expect: XLA102


def images(folder, prompts):
    device = torch_xla.device()
    vae = AutoencoderKL.from_pretrained(folder).to(device)
    for latents in prompts:
        image = vae.decode(latents.to(device)).sample
        torch_xla.sync()  # expect: XLA201
        image.cpu()


if __name__ == "__main__":
    torch_xla.launch(train, args=("weights", []))
