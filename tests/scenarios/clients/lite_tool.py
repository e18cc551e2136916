#!/usr/bin/python3
"""Runs a model with TensorFlow Lite's C library, with the same arguments as `halyard run`.

    lite_tool.py run MODEL --input FILE ... --output-dir DIR

HALYARD_TFLITE is the path of the library. By default models run through its NNAPI delegate, on the
libneuralnetworks.so that the library finds; LITE_KERNELS=builtin runs its own kernels. LITE_COUNTS
is a file to which one line is appended for each run: the model's name, the status (created or run),
and the executions and operations that the library of NNAPI has counted.
"""
import argparse
import ctypes
import os
import sys


class DeviceInfo(ctypes.Structure):
    """The first members of struct halyard_device_info."""
    _fields_ = [('struct_size', ctypes.c_size_t)] + \
        [(name, ctypes.c_char_p) for name in ('name', 'version', 'build_id', 'manifest', 'library')] + \
        [('type', ctypes.c_int32), ('kind', ctypes.c_int32), ('feature_level', ctypes.c_int64),
         ('driver_abi_major', ctypes.c_uint32), ('driver_abi_minor', ctypes.c_uint32),
         ('execution_count', ctypes.c_uint64), ('operation_count', ctypes.c_uint64)]


def executions():
    """(executions, operations) of all devices so far."""
    nnapi = ctypes.CDLL('libneuralnetworks.so')
    count = ctypes.c_uint32()
    nnapi.ANeuralNetworks_getDeviceCount(ctypes.byref(count))
    total = [0, 0]
    for index in range(count.value):
        device = ctypes.c_void_p()
        nnapi.ANeuralNetworks_getDevice(ctypes.c_uint32(index), ctypes.byref(device))
        info = DeviceInfo(struct_size=ctypes.sizeof(DeviceInfo))
        nnapi.halyard_device_get_info(device, ctypes.byref(info))
        total[0] += info.execution_count
        total[1] += info.operation_count
    return total


class Lite:
    """TensorFlow Lite's C API; every function whose name ends in a pointer's name returns one."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def pointer(self, name, *arguments):
        function = self.library[name]
        function.restype = ctypes.c_void_p
        return function(*[ctypes.c_void_p(a) if isinstance(a, int) and a > 0xffff else a for a in arguments])

    def number(self, name, *arguments):
        function = self.library[name]
        function.restype = ctypes.c_size_t if name == 'TfLiteTensorByteSize' else ctypes.c_int32
        return function(*[ctypes.c_void_p(a) if isinstance(a, int) and a > 0xffff else a for a in arguments])


def fail(text):
    print(text, file=sys.stderr)
    sys.exit(1)


def create(lite, path):
    model = lite.pointer('TfLiteModelCreateFromFile', path.encode())
    if not model:
        fail('TensorFlow Lite cannot read %s' % path)
    options = lite.pointer('TfLiteInterpreterOptionsCreate')
    lite.number('TfLiteInterpreterOptionsSetNumThreads', options, ctypes.c_int32(1))
    if os.environ.get('LITE_KERNELS') != 'builtin':
        lite.number('TfLiteInterpreterOptionsSetUseNNAPI', options, ctypes.c_bool(True))
    interpreter = lite.pointer('TfLiteInterpreterCreate', model, options)
    if not interpreter:
        fail('%s: no interpreter' % path)
    if lite.number('TfLiteInterpreterAllocateTensors', interpreter):
        fail('%s: no tensors' % path)
    return interpreter


def compute(lite, interpreter, inputs, folder):
    for index, path in enumerate(inputs):
        tensor = lite.pointer('TfLiteInterpreterGetInputTensor', interpreter, ctypes.c_int32(index))
        with open(path, 'rb') as file:
            data = file.read()
        if lite.number('TfLiteTensorByteSize', tensor) != len(data):
            fail('%s: %d bytes' % (path, len(data)))
        if data:
            ctypes.memmove(lite.pointer('TfLiteTensorData', tensor), data, len(data))
    if lite.number('TfLiteInterpreterInvoke', interpreter):
        fail('the interpreter cannot run')
    for index in range(lite.number('TfLiteInterpreterGetOutputTensorCount', interpreter)):
        tensor = lite.pointer('TfLiteInterpreterGetOutputTensor', interpreter, ctypes.c_int32(index))
        size = lite.number('TfLiteTensorByteSize', tensor)
        data = ctypes.string_at(lite.pointer('TfLiteTensorData', tensor), size) if size else b''
        with open(os.path.join(folder, 'out%d.bin' % index), 'wb') as file:
            file.write(data)


def note(model, status):
    path = os.environ.get('LITE_COUNTS')
    if path:
        counts = executions() if os.environ.get('LITE_KERNELS') != 'builtin' else (0, 0)
        with open(path, 'a', encoding='utf-8') as file:
            file.write('%s %s %d %d\n' % (os.path.basename(model), status, *counts))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('command', choices=['run'])
    parser.add_argument('model')
    parser.add_argument('--input', action='append', default=[])
    parser.add_argument('--output-dir', required=True)
    arguments = parser.parse_args()
    lite = Lite(os.environ['HALYARD_TFLITE'])
    interpreter = create(lite, arguments.model)
    note(arguments.model, 'created')
    compute(lite, interpreter, arguments.input, arguments.output_dir)
    note(arguments.model, 'run')


if __name__ == '__main__':
    main()
