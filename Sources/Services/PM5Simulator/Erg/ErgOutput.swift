import PM5Codec

/// What a simulated erg does at a moment: a value it notifies, or a fact about what was rowed.
package enum ErgOutput: Equatable, Sendable {
    /// To whoever is subscribed to `characteristic`; at most 20 bytes.
    case notification(characteristic: CharacteristicID, bytes: [UInt8])
    case truth(TruthRecord)
}

/// A line of the truth file: what was rowed, at the resolution of the wire.
///
/// Names and units are those of the published messages, so that the two can be compared field by
/// field; what the wire does not carry (a work of 0xFFFF, a heart rate of 255) is absent.
package struct TruthRecord: Equatable, Sendable {
    /// What a line is about.
    package enum Kind: String, Sendable {
        case stroke, split, result, session
        /// A stroke of which some packet reached no subscriber: it is a gap to the receiver.
        case unsentStroke = "unsent_stroke"
    }

    package var kind: Kind
    /// In the order in which they are written.
    package var fields: [Field]

    /// - Parameter fields: of these nil ones are left out.
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
    /// A field that is left out when the wire says "none".
    static func known(_ name: String, _ value: (some BinaryInteger)?, decimals: Int = 0) -> Field? {
        value.map { Field(name, $0, decimals: decimals) }
    }

    /// A force of the wire (0.1 lbf) in newtons, to the hundredth.
    static func newtons(_ name: String, tenthsOfPound: UInt16) -> Field {
        let hundredths = Double(tenthsOfPound) * 10 * RowingFormulas.newtonsPerPoundForce
        return Field(name, Int(hundredths.rounded()), decimals: 2)
    }
}
