import CCurl
import Glibc

/// One request with libcurl. It is created, used and released on the client's queue.
final class HTTPTransfer {
    private let settings: HTTPClient.Settings
    private let target: HTTPTarget
    private let request: HTTPRequest
    private let headers: [HTTPField]
    /// Empty for none.
    private let proxy: String
    private let proxyHost: String?
    /// Body of the answer.
    private var body: [UInt8] = []
    private var progress = TransferProgress()

    /// libcurl's global state; created once, by the first thread that needs it.
    private static let startCode = rg_curl_start()

    /// Checks the request. Nothing is sent, and no name is resolved.
    ///
    /// - Parameter environment: returns a variable for the proxy.
    init(
        _ request: HTTPRequest, _ settings: HTTPClient.Settings, environment: (String) -> String?
    ) throws(HTTPFailure) {
        (self.request, self.settings) = (request, settings)
        target = try HTTPTarget(request.address)
        guard target.scheme == "https" || settings.permitsPlainHTTP else {
            throw HTTPFailure(
                .addressNotAllowed, host: target.host, cause: "http without encryption is not permitted",
                remedy: "use https")
        }
        switch request.checkedHeaders() {
        case .success(let checked): headers = checked
        case .failure(let reason):
            throw HTTPFailure(
                .invalidRequest, host: target.host, cause: reason.text, remedy: "correct the settings")
        }
        proxy = ProxySelection(setting: settings.proxy, scheme: target.scheme, environment: environment)
            .proxy(for: target.host)
        proxyHost = proxy.isEmpty ? nil : HTTPTarget.host(ofProxy: proxy)
        guard proxy.isEmpty || proxyHost != nil else {
            throw HTTPFailure(
                .invalidRequest, cause: "the address of the proxy is invalid",
                remedy: "write it as http://proxy:3128")
        }
        guard settings.permitsPrivateAddresses || proxy.isEmpty || !target.isPrivateByName else {
            throw .privateAddress(target.host)
        }
    }

    /// Blocks until the answer, a failure, or the cancellation.
    func perform(_ cancellation: TransferCancellation) throws(HTTPFailure) -> HTTPAnswer {
        let memory = HTTPFailure(.other, host: target.host, cause: "not enough memory for a request")
        guard Self.startCode == CURLE_OK, let transfer = curl_easy_init() else { throw memory }
        defer { curl_easy_cleanup(transfer) }
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        // Without libcurl's own: it would wait for a permission of the server before a large body, and give an
        // empty body the type of a form.
        let omitted = request.body == .none ? ["Expect:", "Content-Type:"] : ["Expect:"]
        for line in omitted + headers.map(Self.line) {
            guard let longer = curl_slist_append(list, line) else { throw memory }
            list = longer
        }
        let code = configure(transfer, headers: list)
        guard code == CURLE_OK else {
            throw HTTPFailure(
                .other, host: target.host,
                cause: "libcurl rejects a setting: \(String(cString: curl_easy_strerror(code)))",
                remedy: "install the libcurl of this Debian")
        }
        guard let multi = curl_multi_init() else { throw memory }
        defer { curl_multi_cleanup(multi) }
        guard curl_multi_add_handle(multi, transfer) == CURLM_OK else { throw memory }
        defer { curl_multi_remove_handle(multi, transfer) }
        let end = cancellation.withWakeUp(of: multi) { Self.run(multi, cancellation) }
        guard end == .completed(CURLE_OK) else { throw failure(end, transfer) }
        return HTTPAnswer(
            status: rg_curl_number(transfer, CURLINFO_RESPONSE_CODE), headers: Self.headers(of: transfer),
            body: body)
    }

    /// Runs the only transfer of `multi`.
    private static func run(
        _ multi: UnsafeMutableRawPointer, _ cancellation: TransferCancellation
    ) -> TransferProgress.End {
        var running: Int32 = 1
        while !cancellation.isCancelled {
            guard curl_multi_perform(multi, &running) == CURLM_OK else {
                return .completed(CURLE_OUT_OF_MEMORY)
            }
            var count: Int32 = 0
            if running == 0, let message = curl_multi_info_read(multi, &count) {
                return .completed(message.pointee.data.result)
            }
            // libcurl itself wakes earlier for its timeouts, and the cancellation wakes it.
            guard curl_multi_poll(multi, nil, 0, 60_000, nil) == CURLM_OK else {
                return .completed(CURLE_OUT_OF_MEMORY)
            }
        }
        return .cancelled
    }

    private func failure(
        _ end: TransferProgress.End, _ transfer: UnsafeMutableRawPointer
    ) -> HTTPFailure {
        progress.mayHaveReachedServer = rg_curl_size(transfer, CURLINFO_PRETRANSFER_TIME_T) > 0
        progress.systemError = Int32(rg_curl_number(transfer, CURLINFO_OS_ERRNO))
        progress.verification = rg_curl_number(transfer, CURLINFO_SSL_VERIFYRESULT)
        progress.proxyStatus = rg_curl_number(transfer, CURLINFO_HTTP_CONNECTCODE)
        return progress.failure(end, host: target.host, proxyHost: proxyHost, settings)
    }

    // MARK: - Options

    private func configure(
        _ transfer: UnsafeMutableRawPointer, headers: UnsafeMutablePointer<curl_slist>?
    ) -> CURLcode {
        var codes = numbers.map { rg_curl_set_number(transfer, $0.0, $0.1) }
        codes += texts.map { rg_curl_set_text(transfer, $0.0, $0.1) }
        if let file = settings.authorityFile {
            // Without its folder, the authorities of the system would be trusted too.
            codes.append(rg_curl_set_text(transfer, CURLOPT_CAINFO, file))
            codes.append(rg_curl_set_text(transfer, CURLOPT_CAPATH, nil))
        }
        if let credentials = request.credentials {
            codes.append(rg_curl_set_number(transfer, CURLOPT_HTTPAUTH, 1))  // CURLAUTH_BASIC
            codes.append(rg_curl_set_text(transfer, CURLOPT_USERNAME, credentials.user))
            codes.append(rg_curl_set_text(transfer, CURLOPT_PASSWORD, credentials.password))
        }
        codes.append(rg_curl_set_address(transfer, target.address))
        codes.append(rg_curl_set_headers(transfer, headers))
        codes.append(
            rg_curl_set_callbacks(
                transfer, Self.openSocket, Self.receive, Unmanaged.passUnretained(self).toOpaque()))
        let content = request.body.encoded?.bytes
        // A POST or PUT without a body has the length 0.
        if content != nil || request.method == .post || request.method == .put {
            codes.append(
                (content ?? []).withUnsafeBytes { bytes in
                    let empty: StaticString = ""
                    return rg_curl_set_body(
                        transfer, bytes.baseAddress ?? UnsafeRawPointer(empty.utf8Start),
                        curl_off_t(bytes.count))
                })
        }
        codes.append(rg_curl_set_text(transfer, CURLOPT_CUSTOMREQUEST, request.method.rawValue))
        return codes.first { $0 != CURLE_OK } ?? CURLE_OK
    }

    private var numbers: [(CURLoption, Int)] {
        [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_NETRC, 0),
            (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
            (CURLOPT_SSLVERSION, 6),  // CURL_SSLVERSION_TLSv1_2, or newer
            (CURLOPT_HTTP_VERSION, 2),  // CURL_HTTP_VERSION_1_1: there is one request on each connection.
            (CURLOPT_DISALLOW_USERNAME_IN_URL, 1), (CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
            // The end of a transfer does not wait for the thread that resolves a name.
            (CURLOPT_QUICK_EXIT, 1),
            (CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(settings.connectTimeout)),
            (CURLOPT_TIMEOUT_MS, Self.milliseconds(settings.totalTimeout)),
        ]
    }

    private var texts: [(CURLoption, String)] {
        [
            (CURLOPT_PROTOCOLS_STR, settings.permitsPlainHTTP ? "http,https" : "https"),
            (CURLOPT_USERAGENT, settings.userAgent), (CURLOPT_PROXY, proxy),
            // `ProxySelection` has applied the exceptions.
            (CURLOPT_NOPROXY, ""),
        ]
    }

    /// At least 1, because 0 is no limit for libcurl.
    private static func milliseconds(_ duration: Duration) -> Int {
        max(1, Int(min(duration / .milliseconds(1), Double(Int32.max))))
    }

    /// A header as libcurl expects it: one without a value has a semicolon.
    private static func line(_ header: HTTPField) -> String {
        header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
    }

    private static func headers(of transfer: UnsafeMutableRawPointer) -> [HTTPField] {
        var headers: [HTTPField] = []
        var next = rg_curl_header(transfer, nil)
        while let header = next {
            headers.append(
                HTTPField(
                    String(cString: header.pointee.name), String(cString: header.pointee.value)))
            next = rg_curl_header(transfer, header)
        }
        return headers
    }

    // MARK: - Callbacks

    // libcurl calls these only in `perform`, so the transfer is not released meanwhile.

    private static let openSocket: curl_opensocket_callback = { context, _, address in
        guard let context, let address else { return -1 }
        return Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue().openSocket(address)
    }

    private static let receive: curl_write_callback = { bytes, size, count, context in
        guard let context, let bytes else { return 0 }
        let transfer = Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
        return transfer.receive(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }

    /// Opens a socket for one address of the server or proxy; -1 if the address is not permitted.
    private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        if !settings.permitsPrivateAddresses, proxy.isEmpty {
            let found = rg_curl_socket_address(address).flatMap { InternetAddress($0) }
            guard let found, found.isPublic else {
                progress.hasRefusedAddress = true
                return -1
            }
        }
        progress.hasOpenedSocket = true
        let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
        return socket(address.pointee.family, type, address.pointee.protocol)
    }

    /// Returns the number of accepted bytes; fewer than all end the transfer.
    private func receive(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard body.count + bytes.count <= settings.maximumAnswerSize else {
            progress.isTooLarge = true
            return 0
        }
        body += bytes
        return bytes.count
    }
}
