"""Owns the tables of the cards: figures with intervals, worst sources, kinds of picture, every source."""

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


def make_figure_table(tiers):
    def cell(tier, name):
        low, high = tier["fused"]["intervals"][name]
        return f"{tier['fused']['figures'][name]:.3f} ({low:.3f}–{high:.3f})"

    rows = [[title, *(cell(tier, name) for tier in tiers)] for name, title in FIGURE_TITLES.items()]
    rows.append(["AUC, JPEG originals only", *(f"{tier['jpegOriginalsOnly']['auc']:.3f}" for tier in tiers)])
    rows.append(["pictures (human + artificial)", *(f"{tier['human']} + {tier['artificial']}" for tier in tiers)])
    return to_table(["", *(tier["tier"] for tier in tiers)], rows)


def make_detector_table(tiers, pack_of_detector):
    """Each detector alone, with its interval, and TPR at 5 % FPR."""
    def cell(measured):
        low, high = measured["intervals"]["auc"]
        return f"{measured['figures']['auc']:.3f} ({low:.3f}–{high:.3f}); {percent(measured['figures']['tprAtFpr5'])}"

    rows = [[pack, *(cell(tier["detectors"][name]) for tier in tiers)] for name, pack in pack_of_detector.items()]
    rows.append(["fused", *(cell(tier["fused"]) for tier in tiers)])
    return to_table(["AUC (interval); TPR at 5 % FPR", *(tier["tier"] for tier in tiers)], rows)


def make_fold_table(tiers, trainings, networks):
    rows = []
    for fold in tiers[0]["aucByFold"]:
        parts = [tier["aucByFold"][fold] for tier in tiers]
        patches = [trainings[kind][fold]["crop_count"] for kind in networks]
        rows.append([
            fold, f"{parts[0]['human']} + {parts[0]['artificial']}",
            ", ".join(map(str, trainings[networks[0]][fold]["folds"])), *(f"{count:,}" for count in patches),
            *(f"{part['auc']:.3f}" for part in parts),
        ])
    return to_table(["test fold", "pictures", "networks trained on folds", *(f"patches, {kind}" for kind in networks), *(f"AUC {tier['tier']}" for tier in tiers)], rows)


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


def make_confound_table(confounds):
    rows = [
        [entry["description"], f"{entry['auc']:.3f}",
         f"{entry['aucChange']:+.3f} ({entry['interval'][0]:+.3f} to {entry['interval'][1]:+.3f})"]
        for entry in confounds
    ]
    return to_table(["made the same for all", "AUC", "paired change against clean"], rows)


def make_worst_table(tiers, key):
    rows = []
    for tier in tiers:
        for row in tier[key]:
            kind = f" ({row['kind']})" if row["kind"] else ""
            rows.append([tier["tier"], row["source"] + kind, row["images"],
                         percent(row["calledArtificial"]), percent(row["calledArtificialCautious"])])
    return to_table(["tier", "source", "pictures", "called artificial at p ≥ 0.5", "cautious"], rows)


def make_kind_table(tiers):
    by_tier = [{row["kind"]: row for row in tier["byKind"]} for tier in tiers]
    rows = [
        [kind, first["images"], first["sources"],
         *(percent(rows[kind]["falseAlarmRateBalanced"]) for rows in by_tier),
         *(percent(rows[kind]["falseAlarmRateCautious"]) for rows in by_tier)]
        for kind, first in by_tier[0].items()
    ]
    names = [tier["tier"] for tier in tiers]
    header = ["kind of human picture", "pictures", "sources"]
    return to_table(header + [f"{name}, p ≥ 0.5" for name in names] + [f"{name}, cautious" for name in names], rows)


def make_source_table(tiers):
    rows_of = [{(row["label"], row["source"]): row for row in tier["bySource"]} for tier in tiers]
    rows = [
        [label, source, first["images"], *(percent(rows[label, source]["calledArtificial"]) for rows in rows_of)]
        for (label, source), first in rows_of[0].items()
    ]
    return to_table(["label", "source", "pictures", *(f"called artificial, {tier['tier']}" for tier in tiers)], rows)
