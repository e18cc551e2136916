#include "runtime/support_library/diagnostics.h"
#include "runtime/support_library/functions.h"

void SL_ANeuralNetworksDiagnostic_registerCallbacks(
    ANeuralNetworksDiagnosticCompilationFinishedCallback compilationCallback,
    ANeuralNetworksDiagnosticExecutionFinishedCallback executionCallback, void *callbackContext)
{
    hy_diagnostics_listen(compilationCallback, executionCallback, callbackContext);
}
