# select: XLA701
import torch
import torch_xla


class Agent:
    def __init__(self, device):
        self.actor = torch.nn.Linear(4, 2)
        self.critic = torch.nn.Linear(4, 1)

        self.device = device
        self.actor.to(self.device)
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters())
        self.critic.to(self.device)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters())

    def update(self, batch):
        with torch_xla.step():
            loss = self.actor(batch).sum() + self.critic(batch).sum()
            loss.backward()
            self.actor_optimizer.step()
            self.critic_optimizer.step()
        return loss


def main():
    agent = Agent(torch_xla.device())
    return agent.update(torch.randn(2, 4, device=torch_xla.device()))


main()
