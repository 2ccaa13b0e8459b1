// want: assertion reach_error() was called
void reach_error(void);
int main(void) { reach_error(); }
