import CQREncode

/// A QR code (ISO/IEC 18004) of a text, made by libqrencode on this machine.
package struct QRCode: Equatable, Sendable {
    /// The light modules that must surround a code, in modules.
    package static let quietZone = 4

    /// The number of modules of a side, without the quiet zone.
    package let size: Int
    /// Row by row; true for dark modules.
    private let modules: [Bool]

    /// Returns nil for a text that is empty or too long for a QR code: about 2300 bytes.
    ///
    /// - Parameter text: UTF-8 without a zero byte. 15 % of the code may be dirty or damaged.
    package init?(_ text: String) {
        guard !text.isEmpty, let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        let size = Int(code.pointee.width)
        self.size = size
        // The lowest bit of each byte is the color.
        modules = UnsafeBufferPointer(start: code.pointee.data, count: size * size).map { $0 & 1 == 1 }
    }

    /// Whether a module is dark; light outside the code.
    package func isDark(_ x: Int, _ y: Int) -> Bool {
        (0..<size).contains(x) && (0..<size).contains(y) && modules[y * size + x]
    }

    /// The dark modules as the path of an SVG with one unit for each module: `M0 0h7v1h-7z`. The picture includes the
    /// quiet zone, so it has `size + 8` units.
    package var path: String {
        var path = ""
        for y in 0..<size {
            var x = 0
            while x < size {
                var end = x
                while isDark(end, y) { end += 1 }
                if end > x {
                    path += "M\(x + Self.quietZone) \(y + Self.quietZone)h\(end - x)v1h-\(end - x)z"
                }
                x = end + 1
            }
        }
        return path
    }

    /// The code for a terminal with white text on black ground: two rows of modules in each line, with half blocks for
    /// light modules.
    package var lines: [String] {
        let range = -Self.quietZone..<size + Self.quietZone
        return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { y in
            range.map { x in
                switch (isDark(x, y), isDark(x, y + 1)) {
                case (true, true): " "
                case (true, false): "\u{2584}"
                case (false, true): "\u{2580}"
                case (false, false): "\u{2588}"
                }
            }.joined()
        }
    }
}
