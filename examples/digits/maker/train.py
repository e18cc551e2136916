"""Training: Adam with a learning rate that falls to zero along a parabola."""

import numpy as np

from . import network

EPOCHS = 16
BATCH = 64
RATE = 4e-3
DECAY_1, DECAY_2, TINY = np.float32(0.9), np.float32(0.999), np.float32(1e-8)


class Adam:
    def __init__(self, tensors):
        self.mean = [np.zeros_like(t) for t in tensors]
        self.square = [np.zeros_like(t) for t in tensors]
        self.steps = 0

    def step(self, tensors, gradients, rate):
        """Moves `tensors` in place."""
        self.steps += 1
        rate *= (1 - float(DECAY_2) ** self.steps) ** 0.5 / (1 - float(DECAY_1) ** self.steps)
        for tensor, gradient, mean, square in zip(tensors, gradients, self.mean, self.square):
            mean += (1 - DECAY_1) * (gradient - mean)
            square += (1 - DECAY_2) * (gradient * gradient - square)
            tensor -= np.float32(rate) * mean / (np.sqrt(square) + TINY)


def flat(pairs):
    return [tensor for pair in pairs if pair for tensor in pair]


def accuracy(parameters, images, labels):
    return float((network.classify(parameters, images).argmax(1) == labels).mean())


def train(seed, images, labels, validation, report):
    """Parameters after the last epoch; `report` gets a line of text per epoch."""
    rng = np.random.Generator(np.random.PCG64(seed))
    parameters = network.initial_parameters(rng)
    adam, steps = Adam(flat(parameters)), EPOCHS * (len(images) // BATCH)
    for epoch in range(EPOCHS):
        order, loss = rng.permutation(len(images)), []
        for start in range(0, len(images) - BATCH + 1, BATCH):
            chosen = order[start : start + BATCH]
            values = network.forward(parameters, images[chosen])
            loss.append(-np.log(values[-1][labels[chosen], np.arange(BATCH)] + TINY).mean())
            gradients = network.backward(parameters, values, labels[chosen])
            adam.step(flat(parameters), flat(gradients), RATE * (1 - adam.steps / steps) ** 2)
        right = accuracy(parameters, *validation)
        report(f"epoch {epoch + 1:2}: loss {np.mean(loss):.4f}, validation {right:.4f}")
    return parameters
