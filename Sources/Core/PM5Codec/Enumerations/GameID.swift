/// A game: 0x003C byte 6 low nibble, 0x003E byte 9, CSAFE 0x78 and 0x38.
///
/// Source: Concept2 CSAFE definition rev 0.25.
package enum GameID: WireEnumeration {
    case none
    case fish
    case dart
    case targetBasic
    case targetAdvanced
    case crossTraining
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .none
        case 1: .fish
        case 2: .dart
        case 3: .targetBasic
        case 4: .targetAdvanced
        case 5: .crossTraining
        default: .unrecognized(byte)
        }
    }
}
