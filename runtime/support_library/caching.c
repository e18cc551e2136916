/* Open cache files, for an app process that may not open files itself. */
#include "runtime/compile/compilation.h"
#include "runtime/handle/handle.h"
#include "runtime/handle/last_error.h"
#include "runtime/support_library/functions.h"

int SL_ANeuralNetworksCompilation_setCachingFromFds(ANeuralNetworksCompilation *compilation,
                                                    const int *modelCacheFds,
                                                    const uint32_t numModelCacheFiles,
                                                    const int *dataCacheFds,
                                                    const uint32_t numDataCacheFiles,
                                                    const uint8_t *token)
{
    static const char name[] = "SL_Compilation_setCachingFromFds";
    struct hy_compilation *own = hy_compilation_of(compilation);
    const struct hy_caching_files files = {modelCacheFds, dataCacheFds, numModelCacheFiles,
                                           numDataCacheFiles};
    struct hy_error err;

    if (!own)
        return hy_api_null(name, "compilation");
    if (!modelCacheFds && numModelCacheFiles != 0)
        return hy_api_null(name, "modelCacheFds");
    if (!dataCacheFds && numDataCacheFiles != 0)
        return hy_api_null(name, "dataCacheFds");
    if (!token)
        return hy_api_null(name, "token");
    enum hy_code code = hy_compilation_check_building(own, &err);
    if (code == HY_OK)
        code = hy_caching_set_files(&own->caching, &files, token, &err);
    return hy_api_result(name, code, &err);
}
