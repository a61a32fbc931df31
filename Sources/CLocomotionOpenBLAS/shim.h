#include <cblas.h>

// OpenBLAS carries LAPACK itself. Its Fortran symbols are declared here, because Debian's LAPACKE
// would bring a second BLAS through the alternatives system.
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda,
             double *b, const int *ldb, int *info);
void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info);
