"""Owns classic high-pass filters: they see differences between neighbours, not content."""

import torch

STEM_SIDE = 5

KV_FILTER = (
    (-1, 2, -2, 2, -1),
    (2, -6, 8, -6, 2),
    (-2, 8, -12, 8, -2),
    (2, -6, 8, -6, 2),
    (-1, 2, -2, 2, -1),
)
LAPLACIAN = ((0, 0, 0, 0, 0), (0, -1, 2, -1, 0), (0, 2, -4, 2, 0), (0, -1, 2, -1, 0), (0, 0, 0, 0, 0))
SECOND_X = ((0,) * 5, (0,) * 5, (0, 1, -2, 1, 0), (0,) * 5, (0,) * 5)
FIRST_X = ((0,) * 5, (0,) * 5, (0, 0, -1, 1, 0), (0,) * 5, (0,) * 5)
LUMA = (0.299, 0.587, 0.114)
BLUE_DIFFERENCE = (-0.169, -0.331, 0.5)
RED_DIFFERENCE = (0.5, -0.419, -0.081)


def make_stem_filters():
    """Returns [12, 3, 5, 5]: classic residual filters on luma and both chroma planes."""
    def of(filter_rows, colour, transposed=False):
        plane = torch.tensor(filter_rows, dtype=torch.float32)
        plane = plane.t() if transposed else plane
        plane = plane / plane.norm()
        return torch.tensor(colour).view(3, 1, 1) * plane

    filters = [
        of(KV_FILTER, LUMA), of(LAPLACIAN, LUMA),
        of(SECOND_X, LUMA), of(SECOND_X, LUMA, True),
        of(FIRST_X, LUMA), of(FIRST_X, LUMA, True),
        of(KV_FILTER, BLUE_DIFFERENCE), of(LAPLACIAN, BLUE_DIFFERENCE),
        of(KV_FILTER, RED_DIFFERENCE), of(LAPLACIAN, RED_DIFFERENCE),
        of(LAPLACIAN, (1.0, -1.0, 0.0)), of(LAPLACIAN, (0.0, -1.0, 1.0)),
    ]
    return torch.stack(filters)
