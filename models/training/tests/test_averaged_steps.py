"""A step of training, against the same rule written down for one weight at a time."""

import copy
import unittest

import torch

from averaged_steps import GRADIENT_NORM_MAX, AveragedSteps, smooth

RATE, PULL, DECAY, WARM_UP_STEPS = 1e-2, 0.02, 0.9, 3


def make_groups(network):
    return [{"params": [one], "full": rate} for one, rate in zip(network.parameters(), (RATE, RATE / 2))]


class TakeSteps(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.network = torch.nn.Linear(3, 1)
        self.rows, self.labels = torch.randn(8, 3) * 40, torch.randn(8, 1)

    def loss(self, network):
        return ((network(self.rows) - self.labels) ** 2).mean()

    def test_weights_warm_up_are_pulled_back_and_averaged(self):
        plain, first = copy.deepcopy(self.network), copy.deepcopy(self.network)
        average = [one.detach().clone() for one in plain.parameters()]
        optimiser = torch.optim.AdamW(make_groups(plain), lr=RATE, weight_decay=0.0)
        steps = AveragedSteps(self.network, make_groups(self.network), rate=RATE, pull=PULL, decay=DECAY, warm_up_steps=WARM_UP_STEPS)
        for count in range(1, 6):
            loss = self.loss(self.network)
            self.assertGreater(float(loss.detach()), GRADIENT_NORM_MAX)
            steps.take(loss)
            for group in optimiser.param_groups:
                group["lr"] = group["full"] * min(1, count / WARM_UP_STEPS)
            optimiser.zero_grad()
            self.loss(plain).backward()
            torch.nn.utils.clip_grad_norm_(plain.parameters(), GRADIENT_NORM_MAX)
            optimiser.step()
            with torch.no_grad():
                for group, one, was, mean in zip(optimiser.param_groups, plain.parameters(), first.parameters(), average):
                    share = PULL * group["lr"] * 1000
                    one.copy_(one + share * (was - one))
                    left = min(DECAY, count / (count + 10))
                    mean.copy_(mean * left + one * (1 - left))
        self.assertEqual(steps.count, 5)
        for found, expected in zip((*self.network.parameters(), *steps.average.parameters()), (*plain.parameters(), *average)):
            torch.testing.assert_close(found, expected)
        for found, expected in zip(steps.first.parameters(), first.parameters()):
            self.assertTrue(torch.equal(found, expected))

    def test_without_a_pull_only_the_optimiser_moves_the_weights(self):
        plain = copy.deepcopy(self.network)
        steps = AveragedSteps(self.network, make_groups(self.network), rate=RATE, pull=0, decay=DECAY, warm_up_steps=1)
        steps.take(self.loss(self.network))
        for found, before, rate in zip(self.network.parameters(), plain.parameters(), (RATE, RATE / 2)):
            torch.testing.assert_close((found - before).abs(), torch.full_like(found, rate))

    def test_labels_are_smoothed_to_both_sides(self):
        torch.testing.assert_close(smooth(torch.tensor([0.0, 0.5, 1.0])), torch.tensor([0.03, 0.5, 0.97]))


if __name__ == "__main__":
    unittest.main()
