# docker build -t visaproof . && docker run --rm -v "$PWD:/work" visaproof conflicts dumps
FROM python:3.11-slim
COPY pyproject.toml requirements.lock README.md LICENSE /visaproof/
RUN python -m pip install --no-cache-dir --require-hashes -r /visaproof/requirements.lock
COPY model /visaproof/model
COPY proofs /visaproof/proofs
RUN python -m pip install --no-cache-dir --no-deps --no-build-isolation /visaproof && visaproof doctor
RUN useradd --create-home visaproof
USER visaproof
WORKDIR /work
ENTRYPOINT ["visaproof"]
