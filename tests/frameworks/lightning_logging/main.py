"""What a Lightning module logs for all replicas: in each step of training, below the loop of an evaluation."""

import lightning
import torch
import torch_xla


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = torch.nn.Linear(8, 1)

    def training_step(self, batch, batch_idx):
        loss = self.network(batch).square().mean()
        self.log("loss of the epoch", loss, on_step=False, on_epoch=True, sync_dist=True)
        self.log("loss", loss, sync_dist=True)  # expect: XLA102, XLA512
        return loss

    def validation_step(self, batch, batch_idx):
        self.log("validation", self.network(batch).square().mean(), sync_dist=True)

    def test_step(self, batch, batch_idx):
        outputs = self.network(batch)
        self.log_dict({"loss": outputs.square().mean()})
        print(outputs.argmax(1).cpu())  # expect: XLA102

    def predict_step(self, batch, batch_idx):
        self.log("predicted", self.network(batch).sum().item())  # quiet: nobody holds it when the loader cuts

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


def main():
    trainer = lightning.Trainer(accelerator="tpu", devices=8)
    trainer.fit(Model(), [torch.randn(4, 8)])


if __name__ == "__main__":
    main()
