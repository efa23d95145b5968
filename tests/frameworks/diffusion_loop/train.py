"""A diffusion model of diffusers is trained in a loop of the user's own."""

import torch
import torch.nn.functional as F
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from diffusers import AutoencoderKL, DDIMScheduler, DDPMScheduler, UNet2DConditionModel, UNet2DModel
from diffusers.training_utils import EMAModel
from tqdm.auto import tqdm


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


def pictures(unet, scheduler):
    """Drawn round by round, as documentation of diffusers has it."""
    picture = torch.randn(4, 3, 64, 64, device=torch_xla.device())
    for time in tqdm(scheduler.timesteps):  # expect: XLA202 likely
        with torch.no_grad():
            seen = unet(picture, time).sample
        picture = scheduler.step(seen, time, picture).prev_sample
    return picture.clamp(-1, 1).cpu().numpy()


def draw():
    unet = UNet2DModel(sample_size=64).to(torch_xla.device())
    scheduler = DDIMScheduler()
    scheduler.set_timesteps(50)
    pictures(unet, scheduler)
    for scaled in scheduler.timesteps:
        with torch.no_grad(), torch_xla.step():
            unet(torch.zeros(4, 3, 64, 64, device=torch_xla.device()), scaled)


if __name__ == "__main__":
    torch_xla.launch(train, args=("weights", []))
