import CZlib

/// Compression of files that browsers load (RFC 1952).
enum Gzip {
    /// Returns the content with the best compression; equal content gives equal bytes.
    static func compressed(_ content: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        precondition(rg_gzip_start(&stream) == Z_OK, "out of memory while compressing a page")
        defer { deflateEnd(&stream) }
        return content.withUnsafeBufferPointer { input in
            // zlib does not change its input.
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = uInt(input.count)
            return [UInt8](unsafeUninitializedCapacity: Int(deflateBound(&stream, uLong(input.count)))) {
                output, count in
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(output.count)
                precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END, "deflateBound is too small")
                count = Int(stream.total_out)
            }
        }
    }
}
