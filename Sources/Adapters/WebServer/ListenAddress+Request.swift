import Glibc

/// A minimal HTTP client, for commands on the same machine as the server.
extension ListenAddress {
    /// Timeout of each step of a request.
    private static let timeoutSeconds = 3
    /// Largest accepted response.
    private static let maximumBytes = 1 << 20

    /// Returns the body of a GET response; nil after a timeout or if the status is not 200.
    package func body(of path: String) -> [UInt8]? {
        guard let descriptor = connectedSocket() else { return nil }
        defer { close(descriptor) }
        var timeout = timeval(tv_sec: Self.timeoutSeconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                descriptor, SOL_SOCKET, option, &timeout,
                socklen_t(MemoryLayout<timeval>.size))
        }
        let head = "GET \(path) HTTP/1.0\r\nHost: \(description)\r\nConnection: close\r\n\r\n"
        let request = Array(head.utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
        else { return nil }
        var answer: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while answer.count <= Self.maximumBytes {
            let count = recv(descriptor, &part, part.count, 0)
            if count < 0 { return nil }
            if count == 0 { return Self.body(in: answer) }
            answer += part[..<count]
        }
        return nil
    }

    /// The bytes after the empty line of a response with status 200; nil otherwise.
    static func body(in answer: [UInt8]) -> [UInt8]? {
        let text = answer.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard text.count > 1, text[0].starts(with: "HTTP/1.".utf8), text[1].elementsEqual("200".utf8)
        else { return nil }
        let end = Array("\r\n\r\n".utf8)
        var index = 0
        while index + end.count <= answer.count {
            if answer[index..<index + end.count].elementsEqual(end) {
                return Array(answer[(index + end.count)...])
            }
            index += 1
        }
        return nil
    }
}
