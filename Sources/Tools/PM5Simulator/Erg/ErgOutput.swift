import PM5Codec

/// An output of a simulated erg: a notified value, or a truth record.
package enum ErgOutput: Equatable, Sendable {
    /// For the subscriber of `characteristic`; at most 20 bytes.
    case notification(characteristic: CharacteristicID, bytes: [UInt8])
    case truth(TruthRecord)
}

/// A line of the truth file: a simulated stroke, split, result or session, with the resolution of the wire.
///
/// Names and units are those of the published messages, so that both can be compared field by
/// field. Values that the wire does not carry (a work of 0xFFFF, a heart rate of 255) are absent.
package struct TruthRecord: Equatable, Sendable {
    /// The subject of a line.
    package enum Kind: String, Sendable {
        case stroke, split, result, session
        /// A stroke with a packet that reached no subscriber: the receiver sees a gap.
        case unsentStroke = "unsent_stroke"
    }

    package var kind: Kind
    /// In the order of output.
    package var fields: [Field]

    /// - Parameter fields: nil fields are omitted.
    package init(_ kind: Kind, _ fields: [Field?]) {
        self.kind = kind
        self.fields = fields.compactMap { $0 }
    }

    /// One JSON object without a line break.
    package func json(erg serial: String) -> String {
        let head = [Field("erg", .text(serial)), Field("kind", .text(kind.rawValue))]
        return FieldValue.object(head + fields).json
    }
}

extension Field {
    /// A field that is omitted if the wire value means "none".
    static func known(_ name: String, _ value: (some BinaryInteger)?, decimals: Int = 0) -> Field? {
        value.map { Field(name, $0, decimals: decimals) }
    }

    /// A force of the wire (0.1 lbf) in newtons, to the hundredth.
    static func newtons(_ name: String, tenthsOfPound: UInt16) -> Field {
        let hundredths = Double(tenthsOfPound) * 10 * RowingFormulas.newtonsPerPoundForce
        return Field(name, Int(hundredths.rounded()), decimals: 2)
    }
}
