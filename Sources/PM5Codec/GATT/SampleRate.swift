/// 0x0034, the period of the timed notifications: one byte, read and written.
extension SampleRate: CharacteristicPayload {
    package static let characteristic = CharacteristicID.sampleRate

    package init(decoding reader: inout ByteReader, carrier: Carrier) throws(DecodeError) {
        self = try reader.code()
    }

    package func encode(into writer: inout ByteWriter, carrier: Carrier) {
        writer.code(self)
    }

    package var fields: [Field] { [Field("sample_rate_raw", self)] }

    /// Nil for a value the document does not list.
    package var periodMilliseconds: Int? {
        switch self {
        case .every1000Milliseconds: 1000
        case .every500Milliseconds: 500
        case .every250Milliseconds: 250
        case .every100Milliseconds: 100
        case .unrecognized: nil
        }
    }
}
