#include "ctoml.h"
void ctoml_placeholder(void) {}
