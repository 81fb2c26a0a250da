"""Convolution blocks that train quickly in bfloat16 on a CPU: channels-last, batch norms that fold away at export, ReLU."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Conv(nn.Module):
    """A convolution, its batch norm and, unless `linear`, a ReLU."""

    def __init__(self, inputs, outputs, kernel=3, stride=1, linear=False, start=1.0):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)
        self.norm = nn.BatchNorm2d(outputs)
        self.linear = linear
        nn.init.constant_(self.norm.weight, start)

    def forward(self, x):
        x = self.norm(self.conv(x))
        return x if self.linear else F.relu(x)


class Residual(nn.Module):
    """Two convolutions with a shortcut."""

    def __init__(self, width):
        super().__init__()
        self.first = Conv(width, width)
        self.second = Conv(width, width, linear=True, start=0.2)

    def forward(self, x):
        return F.relu(x + self.second(self.first(x)))


def fold_norms(module):
    """Folds every Conv's batch norm into its convolution, in place (after training)."""
    for child in module.modules():
        if isinstance(child, Conv) and isinstance(child.norm, nn.BatchNorm2d):
            norm, old = child.norm, child.conv
            scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            new = nn.Conv2d(old.in_channels, old.out_channels, old.kernel_size, old.stride, old.padding)
            new.weight.data = old.weight.data * scale[:, None, None, None].data
            new.bias.data = (norm.bias - norm.running_mean * scale).data
            child.conv, child.norm = new, nn.Identity()


def pixels_to_depth(images, side):
    """uint8 [n, h, w, 3] to the squares of `side` pixels as channels: [n, 3 side side, h/side, w/side] in -1..1, channels last."""
    n, h, w, _ = images.shape
    squares = images.view(n, h // side, side, w // side, side, 3).permute(0, 1, 3, 5, 2, 4)
    flat = squares.reshape(n, h // side, w // side, 3 * side * side).bfloat16()
    return flat.div_(127.5).sub_(1).permute(0, 3, 1, 2)
