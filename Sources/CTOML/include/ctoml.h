#pragma once
/* Replaced by the first declaration. */
void ctoml_placeholder(void);
