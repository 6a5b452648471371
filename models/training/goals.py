"""Owns what the product asks of its models, and says for each figure whether it is met."""

GOALS = {
    "speech": (
        ("AUC clean", "clean", "auc", 0.87, "least"), ("AUC MP3", "mp3-64", "auc", 0.86, "least"),
        ("AUC telephone", "telephone", "auc", 0.82, "least"),
        ("TPR at 5 % FPR, clean", "clean", "tprAtFpr5", 0.45, "least"),
        ("TPR at 5 % FPR, MP3", "mp3-64", "tprAtFpr5", 0.40, "least"),
        ("TPR at 5 % FPR, telephone", "telephone", "tprAtFpr5", 0.30, "least"),
        *((f"{what}, {tier}", tier, name, bound, sense)
          for what, name, bound, sense in (
              ("false alarms of `balanced`", "falseAlarmRateBalanced", 0.12, "most"),
              ("found by `balanced`", "recallBalanced", 0.65, "least"),
              ("found by `cautious`", "recallCautious", 0.20, "least"),
          ) for tier in ("clean", "mp3-64", "telephone")),
    ),
}
EVERY_TIER = (
    ("calibration error (ECE)", "ece", 0.06, "most"),
    ("false alarms of `cautious`", "falseAlarmRateCautious", 0.01, "most"),
)
FLIPS_MAX = 0.05
COVERAGES_MIN = {"clean": 0.5, "telephone": 0.3}


def is_met(value, bound, kind):
    return value >= bound if kind == "least" else value <= bound


def to_row(what, found, bound, kind):
    """Returns (what, goal, found, met or not)."""
    goal = f"{'≥' if kind == 'least' else '≤'} {bound:g}"
    return [what, goal, f"{found:.3f}", "met" if is_met(found, bound, kind) else "**not met**"]


def to_rows(kind, figures_by_tier, flips_by_tier):
    """Returns a row for each goal from {tier: figures} and {tier: flip rate against clean}."""
    checks = [(what, figures_by_tier[tier][name], bound, sense) for what, tier, name, bound, sense in GOALS[kind]]
    for what, name, bound, sense in EVERY_TIER:
        checks += [(f"{what}, {tier}", figures[name], bound, sense) for tier, figures in figures_by_tier.items()]
    checks += [(f"verdict flips, clean to {tier}", rate, FLIPS_MAX, "most") for tier, rate in flips_by_tier.items()]
    checks += [
        (f"decided share, {tier}", figures_by_tier[tier]["coverage"], bound, "least")
        for tier, bound in COVERAGES_MIN.items() if tier in figures_by_tier
    ]
    return [to_row(*check) for check in checks]
