package rt

var library32 []byte // the page in the browser has to be small
