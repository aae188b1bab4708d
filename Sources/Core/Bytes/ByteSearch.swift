extension [UInt8] {
    /// Returns the first range of the bytes of `text`.
    ///
    /// The search of the standard library is generic: unspecialized, it looks up types for every byte.
    package func range(of text: String) -> Range<Int>? {
        var text = text
        return text.withUTF8 { wanted in
            withUnsafeBufferPointer { bytes in
                guard let first = wanted.first else { return 0..<0 }
                var start = 0
                while start + wanted.count <= bytes.count {
                    if bytes[start] == first,
                        (1..<wanted.count).allSatisfy({ bytes[start + $0] == wanted[$0] })
                    {
                        return start..<start + wanted.count
                    }
                    start += 1
                }
                return nil
            }
        }
    }
}
