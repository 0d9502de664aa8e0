package protocol

// Loaded reads from a BulkLoadHFileResponse whether the region has loaded the files.
func Loaded(response []byte) (bool, error) {
	loaded := false
	err := fields(response, func(num int, v uint64, _ []byte) error {
		if num == 1 {
			loaded = v != 0
		}
		return nil
	})
	return loaded, err
}

// BulkToken reads the name of a staging folder from a PrepareBulkLoadResponse.
func BulkToken(response []byte) ([]byte, error) {
	var token []byte
	err := fields(response, func(num int, _ uint64, b []byte) error {
		if num == 1 {
			token = b
		}
		return nil
	})
	if err == nil && len(token) == 0 {
		err = ErrMalformed
	}
	return token, err
}
