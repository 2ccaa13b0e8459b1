package enumerate

// AsLitmus is for tests of packages that use this one.
var AsLitmus = asLitmus
