"""What a Lightning module and its callbacks do on one replica alone."""

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback
from lightning.pytorch.utilities import rank_zero_only


class Model(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = torch.nn.Linear(8, 1)
        self.outputs = []

    def training_step(self, batch, batch_idx):
        return self.network(batch).square().mean()

    def on_after_backward(self):
        print(self.network.weight.grad.norm().item())  # expect: XLA102

    def validation_step(self, batch, batch_idx):
        self.outputs.append(self.network(batch))

    def on_validation_epoch_end(self):
        outputs = torch.cat(self.outputs)
        self.outputs.clear()
        everything = self.all_gather(outputs)  # quiet: all replicas gather
        if self.trainer.is_global_zero:
            self.all_gather(outputs)  # expect: XLA502
        if self.global_rank == 0:
            print("the spread", everything.std().item())  # expect: XLA501
            self.trainer.strategy.barrier()  # expect: XLA502
        self.trainer.strategy.barrier("evaluated")  # quiet: all replicas wait
        self.show(outputs)
        self.tell(outputs)

    @rank_zero_only
    def show(self, outputs):
        print(self.all_gather(outputs).shape)  # expect: XLA502

    @rank_zero_only
    def tell(self, outputs):
        print(outputs.shape)  # quiet: nobody waits

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Snapshots(Callback):
    def on_train_epoch_end(self, trainer, pl_module):
        trainer.save_checkpoint("last.ckpt")  # quiet: all replicas save
        if trainer.is_global_zero:
            trainer.save_checkpoint("epoch.ckpt")  # expect: XLA502 likely
        if trainer.global_rank == 0:
            print("saved")

    def on_validation_end(self, trainer, pl_module):
        if trainer.local_rank != 0:
            return
        trainer.save_checkpoint("validated.ckpt")  # expect: XLA502 likely


def main():
    trainer = L.Trainer(accelerator="tpu", devices=8, callbacks=[Snapshots()])
    trainer.fit(Model(), [torch.randn(4, 8)])
    trainer.test(Model())  # quiet: all replicas test
    trainer.predict(Model())  # quiet: nor here
    if trainer.is_global_zero:
        trainer.test(Model())  # quiet: one process alone comes here, and starts the replicas
        trainer.validate(Model())  # quiet: nor here
        trainer.predict(Model())  # quiet: nor here
        alone = L.Trainer(accelerator="tpu", devices=1)
        alone.test(Model())  # quiet: a trainer of one device waits for nobody
        alone.save_checkpoint("tested.ckpt")  # quiet: nor here
        named = L.Trainer(accelerator="tpu", devices="1")
        named.test(Model())  # quiet: one, too


if __name__ == "__main__":
    main()
