import Bytes

/// The commands that contain proprietary commands.
///
/// According to the document, any of them may contain any proprietary command, but each has its own group.
/// Source: Concept2 CSAFE definition rev 0.25, C2 proprietary commands.
package enum Wrapper: UInt8, Hashable, Sendable, CaseIterable {
    /// SETUSERCFG1, a public command; little-endian.
    case userConfiguration = 0x1A
    /// SETPMCFG.
    case setConfiguration = 0x76
    /// SETPMDATA.
    case setData = 0x77
    /// GETPMCFG.
    case getConfiguration = 0x7E
    /// GETPMDATA.
    case getData = 0x7F

    /// The byte order of numbers inside.
    package var byteOrder: ByteOrder {
        self == .userConfiguration ? .little : .big
    }
}
