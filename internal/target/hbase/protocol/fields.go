package protocol

import "google.golang.org/protobuf/encoding/protowire"

// fields calls take for each field of a message: with v for a number, with b for bytes.
func fields(message []byte, take func(num int, v uint64, b []byte) error) error {
	for len(message) > 0 {
		num, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return ErrMalformed
		}
		message = message[n:]
		var v uint64
		var b []byte
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			b, n = protowire.ConsumeBytes(message)
			if b == nil {
				b = []byte{}
			}
		case protowire.Fixed32Type, protowire.Fixed64Type, protowire.StartGroupType, protowire.EndGroupType:
			n = protowire.ConsumeFieldValue(num, kind, message)
		default:
			return ErrMalformed
		}
		if n < 0 {
			return ErrMalformed
		}
		message = message[n:]
		if err := take(int(num), v, b); err != nil {
			return err
		}
	}
	return nil
}

// packed calls take for each number of a packed field.
func packed(b []byte, take func(v uint64) error) error {
	for len(b) > 0 {
		v, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return ErrMalformed
		}
		b = b[n:]
		if err := take(v); err != nil {
			return err
		}
	}
	return nil
}
