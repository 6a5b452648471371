"""Owns what the tables of the cards share: titles of figures, rows, heuristics, goals."""

FIGURE_TITLES = {
    "auc": "AUC",
    "balancedAccuracy": "balanced accuracy of `balanced`",
    "tprAtFpr5": "TPR at 5 % FPR",
    "tprAtFpr1": "TPR at 1 % FPR",
    "ece": "calibration error (ECE, 10 bins)",
    "brier": "Brier score",
    "cllr": "cost of the likelihood ratio (Cllr, bits)",
    "falseAlarmRateBalanced": "false alarms of `balanced`",
    "falseAlarmRateCautious": "false alarms at the cautious threshold",
    "recallCautious": "recall at the cautious threshold",
    "coverage": "share outside the inconclusive band",
    "balancedAccuracyDecided": "balanced accuracy outside the band",
}


def to_table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def percent(share):
    return f"{100 * share:.0f} %"


def make_heuristic_table(tiers):
    """How often each heuristic finds artificial media and accuses human ones, with intervals."""
    def cell(row):
        (low, high), (few, many) = row["falseAlarmsInterval"], row["recallInterval"]
        return (
            f"{100 * row['falseAlarms']:.1f} % ({100 * low:.1f}–{100 * high:.1f}); "
            f"{percent(row['recall'])} ({100 * few:.0f}–{100 * many:.0f})"
        )

    rows = [[f"`{name}`", *(cell(tier["heuristics"][name]) for tier in tiers)] for name in tiers[0]["heuristics"]]
    return to_table(["false alarms; found", *(tier["tier"] for tier in tiers)], rows)


def make_goal_table(rows):
    return to_table(["what", "goal", "found", ""], rows)
