#include <cblas.h>

// OpenBLAS carries LAPACK itself. Its Fortran symbols are declared here, because Debian's LAPACKE
// would bring a second BLAS through the alternatives system.
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dpstrf_(
    const char *uplo, const int *n, double *a, const int *lda, int *piv, int *rank,
    const double *tol, double *work, int *info);
