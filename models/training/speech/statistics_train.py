"""Stage 2c: fits the model over statistics, one per left-out fold, by logistic regression; a fold takes a minute."""

import argparse
from pathlib import Path

import numpy
import torch
from torch.nn import functional

from clips import ClipCollection
from sampling import Sampler
from splits import FOLD_COUNT
from statistics_extract import BANK_FOLDER
from statistics_model import StatisticsMember, to_member_file

PENALTY = 0.02
"""Half the squared weights times this is added to the mean loss."""
ITERATIONS = 50


def load_bank(work):
    """Returns the statistics [rounds, clips, count] of the augmented windows."""
    files = sorted((work / BANK_FOLDER).glob("round-*.npz"))
    files = [path for path in files if ".tmp" not in path.name]
    bank = numpy.stack([numpy.load(path)["rows"] for path in files])
    broken = ~numpy.isfinite(bank).all(axis=2)
    if broken.any():
        raise SystemExit(f"{BANK_FOLDER}: expected finite statistics, found {int(broken.sum())} windows without; extract again")
    return torch.from_numpy(bank)


def to_clip_weights(sampler, members):
    """Returns how often training draws each clip of `members`, with a mean of 1."""
    shares = numpy.zeros(members.max() + 1)
    for label, own in sampler.members.items():
        shares[own] = sampler.shares[label]
    weights = shares[members]
    return torch.from_numpy((weights / weights.mean()).astype(numpy.float32))


def fit_member(bank, collection, members):
    """Fits one model on every augmented window of the clips of `members`."""
    rounds, own = len(bank), torch.from_numpy(members)
    rows = bank[:, own].flatten(0, 1)
    labels = torch.from_numpy(collection.is_artificial[members].astype(numpy.float32)).repeat(rounds)
    weights = to_clip_weights(Sampler(collection, members), members).repeat(rounds)
    member = StatisticsMember(rows.shape[1])
    member.standardise_by(rows)
    inputs = member.standardise(rows)
    optimiser = torch.optim.LBFGS(member.line.parameters(), max_iter=ITERATIONS, history_size=12, line_search_fn="strong_wolfe")

    def take_loss():
        optimiser.zero_grad()
        losses = functional.binary_cross_entropy_with_logits(member.line(inputs).squeeze(1), labels, reduction="none")
        loss = (weights * losses).mean() + 0.5 * PENALTY * member.line.weight.square().sum()
        loss.backward()
        return loss

    optimiser.step(take_loss)
    return member.eval(), take_loss().item()


def run(work):
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    collection, bank = ClipCollection(work), load_bank(work)
    for fold in range(FOLD_COUNT):
        member, loss = fit_member(bank, collection, collection.in_training(fold))
        torch.save(member.state_dict(), to_member_file(work, fold))
        print(f"fold {fold}: {len(bank)} windows per clip, loss {loss:.3f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    run(parser.parse_args().work)
