/// The set of a screen value: first byte of CSAFE 0x13 and of the reply to 0x86.
///
/// Source: Concept2 CSAFE definition rev 0.25; monitors accept 1 for the workout screen.
package enum ScreenType: WireEnumeration {
    case none
    case workout
    case race
    case csafe
    case diagnostic
    case manufacturing
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .none
        case 1: .workout
        case 2: .race
        case 3: .csafe
        case 4: .diagnostic
        case 5: .manufacturing
        default: .unrecognized(byte)
        }
    }
}

/// The progress of a screen command: third byte of the reply to CSAFE 0x86.
///
/// Source: Concept2 CSAFE definition rev 0.25.
package enum ScreenStatus: WireEnumeration {
    /// The screen command is executed.
    case inactive
    case pending
    case inProgress
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .inactive
        case 1: .pending
        case 2: .inProgress
        default: .unrecognized(byte)
        }
    }
}

/// The end of a workout or interval description: CSAFE 0x14.
///
/// Source: Concept2 CSAFE definition rev 0.25.
package enum ProgrammingMode: WireEnumeration {
    case disable
    case enable
    case unrecognized(UInt8)

    package static func value(of byte: UInt8) -> Self {
        switch byte {
        case 0: .disable
        case 1: .enable
        default: .unrecognized(byte)
        }
    }
}
