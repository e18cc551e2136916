/* The codes of Android's NeuralNetworksOEM.h, with the same names. */
enum { ANEURALNETWORKS_OEM_SCALAR = 10000, ANEURALNETWORKS_TENSOR_OEM_BYTE = 10001 };
enum { ANEURALNETWORKS_OEM_OPERATION = 10000 };
